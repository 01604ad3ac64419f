/** Who is calling on a web socket: its client says so in a message, and the token is looked at again for as long as the connection lasts. */
import { isServiceToken } from "../../auth/service-tokens.ts";
import { TroupeError } from "../../errors.ts";
import { metaData } from "../../http/streams/meta-frames.ts";
import type { Services } from "../../http/transport/services.ts";
import type { Principal } from "../../model/principal.ts";

/** What is told who is let in. */
const welcome = "Authentication successful. You can now send commands.";

/** Who may be on a connection. */
export class SignIn {
  readonly #gate: Services["gate"];
  readonly #address: string;
  #token: string | undefined;

  /** @param address of the client */
  constructor({ gate }: Services, address: string) {
    this.#gate = gate;
    this.#address = address;
  }

  /** The token of who has entered. */
  get token(): string | undefined {
    return this.#token;
  }

  /** Whether a caller must say who it is. */
  get isDemanded(): boolean {
    return this.#gate.mode !== "none";
  }

  /** The first message of a connection. */
  get greeting(): string {
    const invitation = this.isDemanded ? " Please authenticate to continue." : "";
    return metaData("connected", { message: `Connected to Troupe.${invitation}`, requires_auth: this.isDemanded });
  }

  /** What is told who asks for something before. */
  get demand(): string {
    const what = this.#gate.mode === "jwt" ? "JWT" : "bearer token";
    return metaData("auth_required", {
      error: `Authentication required. Send authenticate action with valid ${what}.`,
    });
  }

  /** The bearer of a token, which from now on is the connection's. @throws TroupeError */
  async enter(token: string): Promise<Principal> {
    const caller = await this.#bearerOf(token);
    this.#token = token;
    return caller;
  }

  /** The caller as the token says it now; undefined where there is no token. @throws TroupeError for one that is good no more */
  async again(): Promise<Principal | undefined> {
    return this.#token === undefined ? undefined : await this.#bearerOf(this.#token);
  }

  /** Forgets the token. */
  leave(): void {
    this.#token = undefined;
  }

  /** What is told who has entered. */
  welcome({ kind, userId }: Principal): readonly string[] {
    const first = metaData("authenticated", { message: welcome });
    if (userId === null) return [first];
    if (kind !== "user") return [metaData("authenticated", { message: welcome, user_id: userId })];
    return [first, metaData("authenticated", { message: "JWT authentication successful.", user_id: userId })];
  }

  /** What is told whose token is refused. Words of its own tell why, as recorded. */
  refusal(token: string, error: TroupeError): string {
    const { code, message } = error;
    if (code !== "unauthenticated" || token === "" || isServiceToken(token))
      return metaData("auth_error", { error: message });
    if (this.#gate.mode === "security_key") return metaData("auth_error", { error: "Invalid token" });
    if (message === "Token has expired")
      return metaData("auth_error", { error: "Signature has expired", error_type: "expired" });
    return metaData("auth_error", {
      error: message.replace(/^Invalid token: /, ""),
      error_type: "invalid_token",
    });
  }

  /** What is told whose token was good and is so no more. */
  expulsion(error: TroupeError): string {
    return this.refusal(this.#token ?? "", error);
  }

  /** Without authorization every token is let in, and one of a service account counts. */
  async #bearerOf(token: string): Promise<Principal> {
    if (token === "") throw new TroupeError("unauthenticated", "Token is required");
    const address = this.#address;
    if (this.isDemanded) return await this.#gate.bearerOf(token, address);
    return await this.#gate.callerOf({ authorization: `Bearer ${token}`, cookie: undefined, address });
  }
}
