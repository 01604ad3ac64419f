import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../components/page.tsx";
import { meQuery, useMay } from "../../session/me.ts";
import { Accounts } from "./accounts.tsx";
import { Connections } from "./connections.tsx";
import { type AccessSearch, accessTabs } from "./search.ts";
import { TokenExplainer } from "./token.tsx";
import { You } from "./you.tsx";

export const Route = createLazyRoute("/access")({ component: Access });

function Access(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const { data: me } = useQuery(meQuery);
  const mayList = may("GET /service-accounts");
  const tab = search.tab === "accounts" && !mayList ? "you" : (search.tab ?? "you");
  const change = (next: AccessSearch): void => void navigate({ search: next, replace: true });
  return (
    <Page
      title="Access"
      description="Who you are, what tokens contain, your accounts at other services, and the service accounts of programs."
    >
      <Tabs
        value={tab}
        onChange={(value) => change({ tab: accessTabs.find((one) => one === value && one !== "you") })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="you">You</Tabs.Tab>
          <Tabs.Tab value="token">Token explainer</Tabs.Tab>
          <Tabs.Tab value="connections">Connected accounts</Tabs.Tab>
          {mayList && <Tabs.Tab value="accounts">Service accounts</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="you">{me && <You me={me} />}</Tabs.Panel>
        <Tabs.Panel value="token">{me && <TokenExplainer me={me} />}</Tabs.Panel>
        <Tabs.Panel value="connections">
          {me && <Connections me={me} user={search.user} onUser={(user) => change({ tab: "connections", user })} />}
        </Tabs.Panel>
        {mayList && me && (
          <Tabs.Panel value="accounts">
            <Accounts me={me} search={search} onSearch={(next) => change({ ...next, tab: "accounts" })} />
          </Tabs.Panel>
        )}
      </Tabs>
    </Page>
  );
}
