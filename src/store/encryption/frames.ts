/** Encrypts and decrypts the frames of segments. */
import type { Encryption } from "./encryption.ts";

/** Encodings of a segment's frames. */
export const encodings: { readonly plain: 0; readonly zstd: 1; readonly sealedPlain: 2; readonly sealedZstd: 3 } = {
  plain: 0,
  zstd: 1,
  sealedPlain: 2,
  sealedZstd: 3,
};

/** A segment's place and its frames as they are stored. */
export interface EncodedFrames {
  readonly runKey: number;
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly encoding: number;
  readonly frames: Buffer;
}

/** Returns the frames to store, with their encoding. */
export function sealFrames(
  encryption: Encryption | undefined,
  { runKey, firstIndex, lastIndex, encoding, frames }: EncodedFrames,
): Pick<EncodedFrames, "encoding" | "frames"> {
  if (encryption?.sealingId === undefined) return { encoding, frames };
  const sealed = encryption.sealBytes("segments.frames", [runKey, firstIndex, lastIndex], frames);
  return { encoding: encoding + encodings.sealedPlain, frames: sealed };
}

/** Returns stored frames decrypted, and their encoding without the encryption. */
export function openFrames(
  encryption: Encryption | undefined,
  { runKey, firstIndex, lastIndex, encoding, frames }: EncodedFrames,
): Pick<EncodedFrames, "encoding" | "frames"> {
  if (encoding < encodings.sealedPlain) return { encoding, frames };
  if (encryption === undefined) throw new Error("The frames are encrypted, and no key is configured.");
  const opened = encryption.openBytes("segments.frames", [runKey, firstIndex, lastIndex], frames);
  return { encoding: encoding - encodings.sealedPlain, frames: opened };
}
