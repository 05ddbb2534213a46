import { execFile } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface Ended {
  code: number;
  output: string;
  errors: string;
}

/** Runs a program of the checkout like an operator does, with only these settings. */
export function operate(script: string, args: string[], settings: Record<string, string>): Promise<Ended> {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, TMPDIR, NODE_COMPILE_CACHE, ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd: ROOT, env }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output, errors }),
    );
  });
}
