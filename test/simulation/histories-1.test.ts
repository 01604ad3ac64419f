import { verifySeeds } from "./verify-seeds.ts";

verifySeeds(1, 2_500);
