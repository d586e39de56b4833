// Logging in with a password, and logging out.
import { call } from "./api";
import { session, type Pair } from "./session";

export async function logIn(username: string, password: string): Promise<void> {
  await session.take(await call<Pair>("auth/login", { method: "POST", body: { username, password } }));
}

/** Without the network the tokens are forgotten here all the same, and this throws. */
export async function logOut(): Promise<void> {
  const refresh = session.refresh;
  try {
    await call("auth/logout", { method: "POST", body: refresh ? { refresh } : {} });
  } finally {
    session.forget();
  }
}
