import { verifySeeds } from "./verify-seeds.ts";

verifySeeds(2501, 2_500);
