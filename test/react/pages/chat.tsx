/** A chat as a page would have it: `useChat` of the AI SDK, which continues after a lost connection. */
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { createRoot } from "react-dom/client";

/** An answer has a status once its run is paused or has ended. */
type Message = UIMessage<{ status?: string } | undefined>;

const query = new URLSearchParams(location.search);
const api = query.get("api") ?? "";
const id = query.get("id") ?? "";
// Also the rest of a run that has ended meanwhile.
const transport = new DefaultChatTransport<Message>({
  api,
  // These headers replace those of the transport, so they are copied.
  prepareReconnectToStreamRequest: ({ headers }) => ({
    headers: { "last-event-id": "-1", ...Object.fromEntries(new Headers(headers)) },
  }),
});

function Chat({ stored }: { stored: Message[] }) {
  const last = stored.at(-1);
  const { messages, sendMessage, status, error, resumeStream, addToolApprovalResponse } = useChat({
    id,
    messages: stored,
    transport,
    resume: last?.role === "assistant" && last.metadata?.status === undefined,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish: ({ isDisconnect }) => {
      if (isDisconnect) void resumeStream();
    },
  });
  return (
    <main data-status={status} data-error={error?.message}>
      <button type="button" id="send" onClick={() => sendMessage({ text: query.get("text") ?? "" })}>
        Send
      </button>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {message.parts.map((part, place) => {
            if (part.type === "text") return <span key={place}>{part.text}</span>;
            if (!("approval" in part) || part.state !== "approval-requested") return null;
            const { id: approval } = part.approval;
            return (
              <button
                key={place}
                type="button"
                className="approve"
                onClick={() => addToolApprovalResponse({ id: approval, approved: true })}
              >
                Approve
              </button>
            );
          })}
        </article>
      ))}
    </main>
  );
}

const stored = (await (await fetch(`${api}/${id}/messages`)).json()) as Message[];
createRoot(document.body.appendChild(document.createElement("div"))).render(<Chat stored={stored} />);
