/** Documents that are being sent. They are kept outside of React, so that they continue while the caller looks at other screens. */
import { useSyncExternalStore } from "react";
import { toShownError } from "../../api/errors.ts";
import { queries } from "../../api/queries.ts";
import { sendForm } from "../../api/send-form.ts";

/** A document that the caller adds. */
export interface NewDocument {
  readonly name: string;
  /** Size in bytes; undefined for an address. */
  readonly size: number | undefined;
  readonly form: FormData;
}

export type UploadState =
  | { readonly phase: "waiting" }
  /** `part` is the sent part of the bytes, from 0 to 1. */
  | { readonly phase: "sending"; readonly part: number }
  | { readonly phase: "failed"; readonly message: string };

/** A document on its way to the server. The list of documents shows it as soon as the server has stored it. */
export interface Upload {
  readonly id: number;
  readonly base: string;
  readonly document: NewDocument;
  readonly state: UploadState;
}

let uploads: readonly Upload[] = [];
let nextId = 1;
let sending: { readonly id: number; readonly abort: AbortController } | undefined;
const listeners = new Set<() => void>();

/** The uploads of a knowledge base, in the order in which they were added. */
export function useUploads(base: string): readonly Upload[] {
  return useSyncExternalStore(subscribe, () => uploads).filter((one) => one.base === base);
}

export function addUploads(base: string, documents: readonly NewDocument[]): void {
  const added = documents.map((document): Upload => ({ id: nextId++, base, document, state: { phase: "waiting" } }));
  change([...uploads, ...added]);
  void sendNext();
}

/** Sends a failed document again. */
export function repeatUpload(id: number): void {
  update(id, { phase: "waiting" });
  void sendNext();
}

/** Removes an upload from the list. One that is not complete is stopped. */
export function removeUpload(id: number): void {
  change(uploads.filter((one) => one.id !== id));
  if (sending?.id === id) sending.abort.abort();
}

/** Sends the documents one after the other. */
async function sendNext(): Promise<void> {
  if (sending) return;
  const next = uploads.find(({ state }) => state.phase === "waiting");
  if (!next) return;
  const { id, base, document } = next;
  const abort = new AbortController();
  sending = { id, abort };
  update(id, { phase: "sending", part: 0 });
  try {
    await sendForm(`/knowledge/content?knowledge_id=${encodeURIComponent(base)}`, document.form, {
      signal: abort.signal,
      onProgress: (part) => update(id, { phase: "sending", part }),
    });
    // The list has the document before the upload disappears.
    await queries.invalidateQueries({ queryKey: ["knowledge"] });
    removeUpload(id);
  } catch (error) {
    const { message, advice } = toShownError(error);
    update(id, { phase: "failed", message: `${message} ${advice}` });
  } finally {
    sending = undefined;
    void sendNext();
  }
}

function update(id: number, state: UploadState): void {
  change(uploads.map((one) => (one.id === id ? { ...one, state } : one)));
}

function change(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
