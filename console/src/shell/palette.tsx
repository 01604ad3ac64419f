/** The command palette: every screen and action, found by its name. */
import { Kbd, Modal } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { type ReactNode, useCallback } from "react";
import { useRegisteredActions } from "./actions.ts";
import { useNavLinks } from "./navigation.ts";

interface PaletteProps {
  readonly opened: boolean;
  readonly onChange: (opened: boolean) => void;
}

export function Palette({ opened, onChange }: PaletteProps): ReactNode {
  const links = useNavLinks();
  const actions = useRegisteredActions();
  const navigate = useNavigate();
  const toggle = useCallback(() => onChange(!opened), [onChange, opened]);
  useHotkeys([["mod+K", toggle]], []);
  const choose = (run: () => void): void => {
    onChange(false);
    run();
  };
  return (
    <Modal.Root opened={opened} onClose={() => onChange(false)} padding={0} size="lg" yOffset="12dvh">
      <Modal.Overlay />
      <Modal.Content aria-label="Command palette">
        <Command label="Command palette" loop>
          <Command.Input placeholder="Go to a screen, or do something" data-autofocus />
          <Command.List label="Commands">
            <Command.Empty>Nothing has this name.</Command.Empty>
            <Command.Group heading="Screens">
              {links.map(({ to, label, icon: Icon }) => (
                <Command.Item key={to} value={label} onSelect={() => choose(() => void navigate({ to }))}>
                  <Icon size={16} aria-hidden />
                  {label}
                </Command.Item>
              ))}
            </Command.Group>
            <Command.Group heading="Actions">
              {actions.map(({ id, label, keywords, run }) => (
                <Command.Item key={id} value={label} keywords={[...(keywords ?? [])]} onSelect={() => choose(run)}>
                  {label}
                </Command.Item>
              ))}
            </Command.Group>
          </Command.List>
        </Command>
      </Modal.Content>
    </Modal.Root>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys that open the palette. */
export function PaletteKeys(): ReactNode {
  return <Kbd size="xs">{isMac ? "⌘ K" : "Ctrl K"}</Kbd>;
}
