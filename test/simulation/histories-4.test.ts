import { verifySeeds } from "./verify-seeds.ts";

verifySeeds(7501, 2_500);
