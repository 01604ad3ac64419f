/** The client that hooks use. */
import { type Context, createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";
import type { Client } from "../client.ts";

const ClientContext: Context<Client | undefined> = createContext<Client | undefined>(undefined);

/** Props of `TroupeProvider`. */
export interface TroupeProviderProps<Platform = unknown> {
  /** Create it once, outside of components: hooks start over with another client. */
  readonly client: Client<Platform>;
  readonly children?: ReactNode;
}

/** Provides a client to the hooks below it. */
export function TroupeProvider<Platform>({ client, children }: TroupeProviderProps<Platform>): ReactElement {
  return createElement(ClientContext.Provider, { value: client as unknown as Client }, children);
}

/**
 * The given client, or the client of the nearest `TroupeProvider`.
 *
 * @throws Error if there is neither
 */
export function useClient<Platform = unknown>(client?: Client<Platform> | undefined): Client<Platform> {
  const provided = useContext(ClientContext);
  const used = client ?? (provided as unknown as Client<Platform> | undefined);
  if (!used) throw new Error("There is no client: render a TroupeProvider above, or pass the option client.");
  return used;
}
