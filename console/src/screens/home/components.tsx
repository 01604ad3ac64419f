import { IconStack2 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { ComponentCards } from "../../components/component-cards.tsx";
import { Section } from "../../components/section.tsx";

/** Lists the hosted components that the caller may see. */
export function Components(): ReactNode {
  return (
    <Section title="Components">
      <ComponentCards emptyIcon={IconStack2} emptyTitle="No components" />
    </Section>
  );
}
