// Logging in with a password, and logging out.
import { call } from "./api";
import { session } from "./session";

export async function logIn(username: string, password: string): Promise<void> {
  await session.take(await call("POST auth/login", { body: { username, password } }));
}

/** Without the network the tokens are forgotten here all the same, and this throws. */
export async function logOut(): Promise<void> {
  const refresh = session.refresh;
  try {
    await call("POST auth/logout", { body: refresh ? { refresh } : {} });
  } finally {
    session.forget();
  }
}
