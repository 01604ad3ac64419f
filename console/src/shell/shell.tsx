/** The frame of all screens: navigation, command palette, sign-in. */
import { ActionIcon, AppShell, Box, Burger, Button, Group, NavLink as NavItem, ScrollArea, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CatchBoundary, Link, Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { ErrorPanel } from "../components/error-panel.tsx";
import { useSession } from "../session/credential.ts";
import { infoQuery, meQuery } from "../session/me.ts";
import { SignIn } from "../session/sign-in.tsx";
import { signedInPath } from "../session/signed-in.tsx";
import { recordNavigation } from "./navigated.ts";
import { useNavLinks } from "./navigation.ts";
import { PageSkeleton } from "./page-skeleton.tsx";
import { Palette, PaletteKeys } from "./palette.tsx";
import { Preferences } from "./preferences.tsx";

export function Shell(): ReactNode {
  const [isNavOpen, nav] = useDisclosure();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const { pathname } = useLocation();
  const session = useSession();
  const queries = useQueryClient();
  const { data: info } = useQuery(infoQuery);
  const me = useQuery(meQuery);
  const links = useNavLinks();

  // biome-ignore lint/correctness/useExhaustiveDependencies: each path is a navigation.
  useEffect(() => {
    recordNavigation();
    nav.close();
  }, [pathname]);
  // After a sign-in every screen reads its data again; it keeps what it shows until then.
  useEffect(() => {
    if (session.generation > 0) void queries.invalidateQueries();
  }, [session.generation, queries]);

  const isReturning = pathname === signedInPath;
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !isNavOpen } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <button
        type="button"
        className="skip-link"
        onClick={() => document.querySelector<HTMLElement>("main")?.focus({ preventScroll: false })}
      >
        Skip to the content
      </button>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="sm" miw={0}>
            <Burger
              opened={isNavOpen}
              onClick={nav.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isNavOpen ? "Close the navigation" : "Open the navigation"}
              aria-expanded={isNavOpen}
            />
            <Logo />
            <Text fw={650} truncate>
              {info?.name ?? "Troupe"}
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              variant="default"
              size="xs"
              leftSection={<IconSearch size={14} aria-hidden />}
              rightSection={<PaletteKeys />}
              onClick={() => setPaletteOpen(true)}
              visibleFrom="xs"
            >
              Go to
            </Button>
            <ActionIcon
              variant="default"
              size="md"
              aria-label="Go to"
              onClick={() => setPaletteOpen(true)}
              hiddenFrom="xs"
            >
              <IconSearch size={16} aria-hidden />
            </ActionIcon>
            <Preferences onPalette={() => setPaletteOpen(true)} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Screens">
        <ScrollArea>
          {links.map(({ to, label, icon: Icon, badge: Note }) => (
            <NavItem
              key={to}
              component={Link}
              to={to}
              label={label}
              leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
              rightSection={Note && <Note />}
              active={to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`)}
              aria-current={pathname === to ? "page" : undefined}
              className="nav-item"
            />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main tabIndex={-1}>
        <Box maw={1280} mx="auto">
          <Content isReturning={isReturning} isReady={me.data !== undefined} error={me.error} />
        </Box>
      </AppShell.Main>
      <Palette opened={isPaletteOpen} onChange={setPaletteOpen} />
      <SignIn opened={session.isRejected && !isReturning} />
    </AppShell>
  );
}

interface ContentProps {
  readonly isReturning: boolean;
  /** Whether it is known who is signed in. */
  readonly isReady: boolean;
  readonly error: unknown;
}

function Content({ isReturning, isReady, error }: ContentProps): ReactNode {
  const router = useRouter();
  const queries = useQueryClient();
  const { pathname } = useLocation();
  if (!isReady && !isReturning) {
    if (error) return <ErrorPanel error={error} onRetry={() => void queries.invalidateQueries()} />;
    return <PageSkeleton />;
  }
  return (
    <CatchBoundary
      getResetKey={() => pathname}
      errorComponent={({ error: cause, reset }) => (
        <ErrorPanel
          error={cause}
          onRetry={() => {
            void router.invalidate();
            reset();
          }}
        />
      )}
    >
      <Suspense fallback={<PageSkeleton />}>
        <Outlet />
      </Suspense>
    </CatchBoundary>
  );
}

function Logo(): ReactNode {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--mantine-primary-color-filled)" />
      <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round">
        <path d="M8 10.5h16M16 10.5v12" />
      </g>
    </svg>
  );
}
