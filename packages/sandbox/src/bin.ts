#!/usr/bin/env node
import { runSandbox } from './cli.ts';

process.exitCode = await runSandbox(process.argv.slice(2), process.env);
