/** Text messages of a web socket (RFC 6455 section 5.2): the frames that a server sends, which are not masked. */

/** An event that is not sent, because its JSON does not contain its name and clients could not recognize it. The run's record has its content. */
const namelessEvent = "WorkflowRunOutput";

const lineFeed = "\n".charCodeAt(0);
const nameStart = "event: ".length;
const dataStart = "\ndata: ".length;

/** A whole text message in one frame. */
const textFrame = 0x81;
/** Lengths from these on have two and eight bytes of their own. */
const mediumLength = 126;
const largeLength = 2 ** 16;

/**
 * The events of whole stored or meta frames as web socket messages, one each, with the event's JSON unchanged; an incomplete frame
 * at the end is left out. One buffer for all of them: a write for each event costs more than everything else about it.
 */
export function toMessages(frames: Buffer): Buffer {
  // The names of a frame's fields have more bytes than the head of a message.
  const messages = Buffer.allocUnsafe(frames.length);
  let length = 0;
  let start = 0;
  while (start < frames.length) {
    const nameEnd = frames.indexOf(lineFeed, start);
    const data = nameEnd + dataStart;
    const dataEnd = frames.indexOf(lineFeed, data);
    const end = nameEnd < 0 || dataEnd < 0 ? -1 : endOfFrame(frames, dataEnd);
    if (end < 0) break;
    if (!isNameless(frames, start + nameStart, nameEnd)) {
      length = writeHead(messages, length, dataEnd - data);
      length += frames.copy(messages, length, data, dataEnd);
    }
    start = end;
  }
  return messages.subarray(0, length);
}

/** A stored frame has one more line after its data, and a meta frame has none. -1 for an incomplete frame. */
function endOfFrame(frames: Buffer, dataEnd: number): number {
  const next = dataEnd + 1;
  if (frames[next] === lineFeed) return next + 1;
  const idEnd = frames.indexOf(lineFeed, next);
  return idEnd < 0 || frames[idEnd + 1] !== lineFeed ? -1 : idEnd + 2;
}

function isNameless(frames: Buffer, start: number, end: number): boolean {
  return end - start === namelessEvent.length && frames.toString("latin1", start, end) === namelessEvent;
}

/** Writes the head of a message, and returns the position behind it. */
function writeHead(messages: Buffer, at: number, length: number): number {
  messages[at] = textFrame;
  if (length < mediumLength) {
    messages[at + 1] = length;
    return at + 2;
  }
  if (length < largeLength) {
    messages[at + 1] = 126;
    return messages.writeUInt16BE(length, at + 2);
  }
  messages[at + 1] = 127;
  return messages.writeBigUInt64BE(BigInt(length), at + 2);
}
