/** One delivery: its attempts, the latest answer, and a button that sends it again. */
import { Alert, Button, Drawer, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Id } from "../../components/copy.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { StatusBadge, Time } from "../../components/values.tsx";
import { Subject } from "./parts.tsx";
import { type Delivery, deliveryQuery } from "./queries.ts";

interface DeliveryPanelProps {
  readonly id: string;
  readonly mayReplay: boolean;
  readonly isSending: boolean;
  readonly onReplay: (delivery: Delivery) => void;
  readonly onClose: () => void;
}

/** What each state means, and what happens next. */
const meanings: Readonly<Record<Delivery["state"], string>> = {
  pending: "The server sends it, and repeats it with growing pauses until the receiver accepts it.",
  delivered: "The receiver has accepted it. Sent again, it has the same id, so that the receiver can discard it.",
  failed: "The attempts are used up. The server does not send it any more, unless you send it again.",
  disabled: "The receiver answered 410 to an earlier message of the run. The server does not send this one.",
};

export function DeliveryPanel({ id, mayReplay, isSending, onReplay, onClose }: DeliveryPanelProps): ReactNode {
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(id));
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="Delivery" padding="lg">
      {delivery ? (
        <Stack gap="lg">
          <Details delivery={delivery} />
          {mayReplay && delivery.state !== "pending" && (
            <Group justify="flex-end">
              <Button
                leftSection={<IconRefresh size={14} aria-hidden />}
                loading={isSending}
                onClick={() => onReplay(delivery)}
              >
                Send again
              </Button>
            </Group>
          )}
        </Stack>
      ) : error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={220} />
      )}
    </Drawer>
  );
}

function Details({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const { state, event, webhook_id: webhook, attempts, status_code: status, error } = delivery;
  const { run_id: run, event_index: index, id, created_at: created, updated_at: changed } = delivery;
  return (
    <>
      <FactList>
        <Fact name="State">
          <StatusBadge status={state} />
        </Fact>
        <Fact name="Event">{event}</Fact>
        <Fact name="Webhook">{webhook}</Fact>
        <Fact name="About">
          <Subject delivery={delivery} isColoured />
        </Fact>
        <Fact name="Attempts">{attempts}</Fact>
        <Fact name="Latest answer">{status ?? (attempts === 0 ? "none yet" : "no answer")}</Fact>
        <Fact name="Created">
          <Time value={created} format="local" />
        </Fact>
        <Fact name="Last change">
          <Time value={changed} format="local" />
        </Fact>
        {run && index !== null && <Fact name="Event of the run">{index}</Fact>}
        <Fact name="Delivery">
          <Id value={id} label="delivery id" />
        </Fact>
        {run && index !== null && (
          <Fact name="Message id">
            <Id value={`${run}.${index}`} label="message id" />
          </Fact>
        )}
      </FactList>
      {error && state !== "delivered" && (
        <Alert color="red" title="Why the latest attempt failed">
          {error}
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {meanings[state]}
      </Text>
    </>
  );
}
