import { verifySeeds } from "./verify-seeds.ts";

verifySeeds(5001, 2_500);
