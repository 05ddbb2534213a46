import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Storage } from '@case-platform/modules/storage';
import { ROOT } from '../../scripts/checkout/checkout.mjs';

export type KeyHolder = 'api' | 'admin' | 'worker' | 'operator';

interface Statement {
  Effect: string;
  Action: string[];
  Resource: string[];
}

/** The policy statements in deploy/object-store for the key of a process. */
export function readPolicy(holder: KeyHolder): Statement[] {
  return JSON.parse(readFileSync(join(ROOT, 'deploy/object-store', `${holder}.json`), 'utf8')).Statement;
}

const BUCKET = 'arn:aws:s3:::case-platform';

export function isAllowed(statements: readonly Statement[], action: string, key?: string): boolean {
  const resource = key === undefined ? BUCKET : `${BUCKET}/${key}`;
  const covers = (pattern: string) => (pattern.endsWith('/*') ? resource.startsWith(pattern.slice(0, -1)) : resource === pattern);
  return statements.some(
    ({ Effect, Action, Resource }) => Effect === 'Allow' && Action.includes(action) && Resource.some(covers),
  );
}

interface Input {
  Key?: string;
  CopySource?: string;
  Delete?: { Objects?: { Key?: string }[] };
}

/** The rights that each command needs (AWS, "Required permissions for Amazon S3 API operations"). */
const NEEDED: Record<string, (input: Input) => [action: string, key?: string | undefined][]> = {
  HeadBucketCommand: () => [['s3:ListBucket']],
  ListObjectsV2Command: () => [['s3:ListBucket']],
  GetObjectCommand: ({ Key }) => [['s3:GetObject', Key]],
  HeadObjectCommand: ({ Key }) => [['s3:GetObject', Key]],
  PutObjectCommand: ({ Key }) => [['s3:PutObject', Key]],
  CopyObjectCommand: ({ Key, CopySource = '' }) => [
    ['s3:GetObject', decodeURIComponent(CopySource.slice(CopySource.indexOf('/') + 1))],
    ['s3:PutObject', Key],
  ],
  DeleteObjectsCommand: ({ Delete }) => (Delete?.Objects ?? []).map(({ Key }) => ['s3:DeleteObject', Key]),
};

/** The storage with a process's own key. A command that its policy does not allow fails, and so does the test file. */
export function withPolicy(storage: Storage, holder: KeyHolder): Storage {
  const statements = readPolicy(holder);
  const send = (command: { constructor: { name: string }; input: Input }, ...rest: unknown[]) => {
    const needed = NEEDED[command.constructor.name]?.(command.input) ?? [[command.constructor.name]];
    const denied = needed.filter(([action, key]) => !isAllowed(statements, action ?? '', key));
    if (denied.length > 0) {
      refused.add(`${holder}: ${denied.map((right) => right.join(' ')).join(', ')}`);
      return Promise.reject(new Error('AccessDenied'));
    }
    return (storage.client.send as (...args: unknown[]) => unknown)(command, ...rest);
  };
  const client = new Proxy(storage.client, {
    get(target, name) {
      if (name === 'send') return send;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { settings: storage.settings, client };
}

const refused = new Set<string>();
process.once('exit', () => {
  if (refused.size === 0) return;
  process.exitCode = 1;
  process.stderr.write(`The object store would refuse, see deploy/object-store:\n${[...refused].join('\n')}\n`);
});
