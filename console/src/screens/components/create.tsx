/** The form for a component without a definition in code. Its first version comes next. */
import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { type ComponentKind, componentKinds } from "../../api/component-kinds.ts";
import { ApiError } from "../../api/errors.ts";
import { createComponent, type NewComponent } from "./queries.ts";

const empty: NewComponent = { name: "", kind: "agent", id: "", description: "" };

export function CreateComponent({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [values, setValues] = useState(empty);
  const [fault, setFault] = useState<string>();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (given: NewComponent) =>
      createComponent(given).catch((error: unknown) => {
        if (error instanceof ApiError && [400, 409, 422].includes(error.status)) return error;
        throw error;
      }),
    onSuccess: async (created) => {
      if (created instanceof ApiError) return setFault(created.message);
      await queries.invalidateQueries({ queryKey: ["components"] });
      const params = { kind: created.component_type, id: created.component_id };
      void navigate({ to: "/components/$kind/$id", params, search: { edit: "new" } });
    },
  });
  const set = (change: Partial<NewComponent>): void => {
    setFault(undefined);
    setValues({ ...values, ...change });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (values.name.trim() !== "") create.mutate({ ...values, name: values.name.trim(), id: values.id.trim() });
  };
  return (
    <Modal opened onClose={onClose} title="New component" centered size="lg">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            required
            data-autofocus
            value={values.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <Select
            label="Kind"
            data={componentKinds.map((kind) => ({ value: kind, label: kind }))}
            value={values.kind}
            allowDeselect={false}
            onChange={(kind) => kind && set({ kind: kind as ComponentKind })}
          />
          <TextInput
            label="Id"
            description="Part of its URLs. Default: made of the name."
            value={values.id}
            error={fault}
            onChange={(event) => set({ id: event.currentTarget.value })}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            value={values.description}
            onChange={(event) => set({ description: event.currentTarget.value })}
          />
          <Text size="sm" c="dimmed">
            Runs can use it after its first version is published.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={values.name.trim() === ""} loading={create.isPending}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
