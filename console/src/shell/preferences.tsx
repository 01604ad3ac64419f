/** The menu of the caller: who is signed in, the colour scheme, sign-out. */
import { ActionIcon, Menu, Text, useMantineColorScheme } from "@mantine/core";
import {
  IconCommand,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconPlugConnected,
  IconSun,
  IconUser,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { serverUrl } from "../api/places.ts";
import { signOut, useSession } from "../session/credential.ts";
import { infoQuery, type Me, meQuery } from "../session/me.ts";
import { useActions } from "./actions.ts";

const schemes = [
  { value: "light", label: "Light colours", icon: IconSun },
  { value: "dark", label: "Dark colours", icon: IconMoon },
  { value: "auto", label: "Colours of the system", icon: IconDeviceDesktop },
] as const;

export function Preferences({ onPalette }: { readonly onPalette: () => void }): ReactNode {
  const { data: me } = useQuery(meQuery);
  const { data: info } = useQuery(infoQuery);
  const { token } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const actions = useMemo(
    () => [
      ...schemes.map(({ value, label }) => ({
        id: `colours-${value}`,
        label: `Use ${label.toLowerCase()}`,
        keywords: ["theme", "colors"],
        run: () => setColorScheme(value),
      })),
      { id: "reference", label: "Open the API reference", keywords: ["docs"], run: () => open(`${serverUrl}/docs`) },
      ...(token === undefined ? [] : [{ id: "sign-out", label: "Sign out", run: signOut }]),
    ],
    [setColorScheme, token],
  );
  useActions(actions);
  return (
    <Menu position="bottom-end" width={260} withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" size="md" aria-label="Your account and preferences">
          <IconUser size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" c="var(--mantine-color-text)" truncate>
            {me ? nameOf(me) : "Not signed in"}
          </Text>
          {info && <Text size="xs">Troupe {info.troupe_version}</Text>}
        </Menu.Label>
        <Menu.Divider />
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={14} aria-hidden />}
            onClick={() => setColorScheme(value)}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            fw={colorScheme === value ? 600 : undefined}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          component={Link}
          to="/access"
          search={{ tab: "connections" } as never}
          leftSection={<IconPlugConnected size={14} aria-hidden />}
        >
          Connected accounts
        </Menu.Item>
        <Menu.Item leftSection={<IconCommand size={14} aria-hidden />} onClick={onPalette}>
          Command palette
        </Menu.Item>
        {token !== undefined && (
          <Menu.Item leftSection={<IconLogout size={14} aria-hidden />} onClick={signOut}>
            Sign out
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

const kinds: Readonly<Record<Me["kind"], string>> = {
  open: "Open server: no sign-in needed",
  operator: "Operator, with the security key",
  outsider: "Not signed in",
  user: "A user without a name",
  "service-account": "Service account",
  scheduler: "Scheduler",
};

/** The caller as a person reads it. */
export function nameOf({ kind, user_id: userId }: Me): string {
  return userId ?? kinds[kind];
}
