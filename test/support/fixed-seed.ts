import * as fc from 'fast-check';

/** Property tests use the same inputs in each run, whichever files share a process. */
fc.configureGlobal({ seed: 20_250_303 });
