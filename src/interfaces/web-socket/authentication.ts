/**
 * Authentication on a web socket: the client sends its token in a message, and the server re-checks the token for as long as the connection lasts.
 */

import { TroupeError } from "../../errors.ts";
import { metaData } from "../../http/streams/meta-frames.ts";
import type { InterfaceServices } from "../../http/transport/services.ts";
import type { Principal } from "../../model/principal.ts";
import { isServiceToken } from "../../model/service-account.ts";

/** Text of the message after a successful authentication. */
const accepted = "Authentication successful. You can now send commands.";

/** The authentication state of one connection. */
export class Authentication {
  readonly #gate: InterfaceServices["gate"];
  readonly #address: string;
  #token: string | undefined;

  /** @param address of the client */
  constructor({ gate }: Pick<InterfaceServices, "gate">, address: string) {
    this.#gate = gate;
    this.#address = address;
  }

  /** The token of the authenticated client. */
  get token(): string | undefined {
    return this.#token;
  }

  /** Whether callers must authenticate. */
  get isRequired(): boolean {
    return this.#gate.mode !== "none";
  }

  /** The first message of a connection. */
  get connectedMessage(): string {
    const invitation = this.isRequired ? " Please authenticate to continue." : "";
    return metaData("connected", { message: `Connected to Troupe.${invitation}`, requires_auth: this.isRequired });
  }

  /** The answer to actions before authentication. */
  get requiredMessage(): string {
    const what = this.#gate.mode === "jwt" ? "JWT" : "bearer token";
    return metaData("auth_required", {
      error: `Authentication required. Send authenticate action with valid ${what}.`,
    });
  }

  /** Authenticates a token and keeps it for the connection. @throws TroupeError */
  async authenticate(token: string): Promise<Principal> {
    const caller = await this.#principalOf(token);
    this.#token = token;
    return caller;
  }

  /** The caller of the kept token, checked again; undefined without a token. @throws TroupeError if the token is no longer valid */
  async recheck(): Promise<Principal | undefined> {
    return this.#token === undefined ? undefined : await this.#principalOf(this.#token);
  }

  /** Forgets the token. */
  forget(): void {
    this.#token = undefined;
  }

  /** The messages after a successful authentication. */
  acceptedMessages({ kind, userId }: Principal): readonly string[] {
    const first = metaData("authenticated", { message: accepted });
    if (userId === null) return [first];
    if (kind !== "user") return [metaData("authenticated", { message: accepted, user_id: userId })];
    return [first, metaData("authenticated", { message: "JWT authentication successful.", user_id: userId })];
  }

  /** The message about a rejected token, with the recorded texts for each reason. */
  rejectionMessage(token: string, error: TroupeError): string {
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

  /** The message about a token that is no longer valid. */
  expiryMessage(error: TroupeError): string {
    return this.rejectionMessage(this.#token ?? "", error);
  }

  /** Without authorization every token is accepted; a service account's token still determines the caller. */
  async #principalOf(token: string): Promise<Principal> {
    if (token === "") throw new TroupeError("unauthenticated", "Token is required");
    return await this.#gate.authenticate(token, this.#address);
  }
}
