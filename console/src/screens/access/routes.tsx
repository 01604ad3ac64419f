import { Accordion, Badge, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./access.module.css";
import { type Permission, routesByScope } from "./scopes.ts";

/** Routes by the scope that they require. */
export function Routes({ permissions }: { readonly permissions: readonly Permission[] }): ReactNode {
  if (permissions.length === 0)
    return (
      <Text size="sm" c="dimmed">
        They open no route.
      </Text>
    );
  return (
    <Accordion multiple variant="contained" chevronPosition="left">
      {routesByScope(permissions).map(([scope, routes]) => {
        const limited = [...new Set(routes.flatMap(({ components }) => components ?? []))];
        return (
          <Accordion.Item key={scope} value={scope}>
            <Accordion.Control>
              <Group gap="sm" justify="space-between" wrap="nowrap">
                <Text size="sm" ff="monospace" className={classes.wrap}>
                  {scope}
                  {limited.length > 0 && (
                    <Text span size="xs" c="dimmed">
                      {" "}
                      only {limited.join(", ")}
                    </Text>
                  )}
                </Text>
                <Badge variant="light" color="gray" radius="sm" tt="none" miw="max-content">
                  {routes.length === 1 ? "1 route" : `${routes.length} routes`}
                </Badge>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <ul className={classes.routes}>
                {routes.map(({ method, path, components }) => (
                  <li key={`${method} ${path}`}>
                    <code>
                      <b>{method}</b> {path}
                    </code>
                    {components && <span> ({components.join(", ")})</span>}
                  </li>
                ))}
              </ul>
            </Accordion.Panel>
          </Accordion.Item>
        );
      })}
    </Accordion>
  );
}
