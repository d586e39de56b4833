// A certified identity provider (npm oidc-provider) with its own login and consent pages, for the tests next to it.
// One JSON document on the command line: {port, site}, the site being Skywatch's address. Keys are new at every start.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { Provider } from "oidc-provider";

const options = JSON.parse(process.argv[2]);
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = { ...privateKey.export({ format: "jwk" }), kid: randomBytes(4).toString("hex"), use: "sig", alg: "RS256" };

const groups = { tower: ["tower"], guest: [] };
const provider = new Provider(`http://127.0.0.1:${options.port}`, {
  jwks: { keys: [key] },
  cookies: { keys: [randomBytes(16).toString("hex")] },
  clients: [
    {
      client_id: "skywatch",
      client_secret: "between us, and only us",
      redirect_uris: [`${options.site}/api/v1/auth/oidc/callback`, `${options.site}/console/sign-in/callback`],
      post_logout_redirect_uris: [`${options.site}/`],
      backchannel_logout_uri: `${options.site}/api/v1/auth/oidc/backchannel-logout`,
      backchannel_logout_session_required: true,
      response_types: ["code"],
      grant_types: ["authorization_code"],
    },
    {
      client_id: "desk",
      application_type: "native",
      token_endpoint_auth_method: "none",
      redirect_uris: ["http://127.0.0.1/"],
      response_types: ["code"],
      grant_types: ["authorization_code"],
    },
  ],
  features: { backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  // A service that is busy is not away.
  httpOptions: () => ({ signal: AbortSignal.timeout(60_000) }),
  pkce: { required: () => true, methods: ["S256"] },
  scopes: ["openid", "profile", "email", "groups"],
  claims: {
    openid: ["sub"],
    profile: ["name", "preferred_username"],
    email: ["email", "email_verified"],
    groups: ["groups"],
  },
  // The account is the name typed into the login page: its first word is the group.
  findAccount: (ctx, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      name: `The ${id}`,
      preferred_username: id,
      email: `${id}@example.org`,
      email_verified: true,
      groups: groups[id] ?? [],
    }),
  }),
});
provider.on("backchannel.error", (ctx, error) => console.log(error));
provider.listen(options.port, "127.0.0.1", () => console.log("listening"));
