/** A chat as a page would have it: `useChat` of the AI SDK, which continues after a lost connection. */
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { createRoot } from "react-dom/client";

const query = new URLSearchParams(location.search);
const api = query.get("api") ?? "";
const id = query.get("id") ?? "";
const transport = new DefaultChatTransport({ api });

function Chat({ stored }: { stored: UIMessage[] }) {
  const { messages, sendMessage, status, error, resumeStream, addToolApprovalResponse } = useChat({
    id,
    messages: stored,
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    // Also the rest of a run that has ended meanwhile.
    onFinish: ({ isDisconnect }) => {
      if (isDisconnect) void resumeStream({ headers: { "Last-Event-ID": "-1" } });
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

const stored = (await (await fetch(`${api}/${id}/messages`)).json()) as UIMessage[];
createRoot(document.body.appendChild(document.createElement("div"))).render(<Chat stored={stored} />);
