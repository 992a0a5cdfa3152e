import { hashCost } from '#flows/access/passwords.ts';

// A hash takes 20 ms of processor time, and tests log in thousands of times.
Object.assign(hashCost, { memory: 8, passes: 1 });
