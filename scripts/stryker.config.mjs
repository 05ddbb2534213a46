/**
 * `npm run mutate -- words/money.ts`: StrykerJS changes one operator, literal, or branch of the file at a time and runs the test
 * beside it, which should fail. It suits files whose test needs neither a server nor a database.
 */
const file = process.argv.at(-1) ?? '';

export default {
  testRunner: 'command',
  commandRunner: { command: `node ${file.replace(/\.(ts|mjs)$/, '.test.$1')}` },
  // Text that people read is not a rule.
  mutator: { excludedMutations: ['StringLiteral'] },
  // Node.js runs the sources themselves; StrykerJS would need TypeScript beside it to rewrite the settings.
  tsconfigFile: 'none',
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ['clear-text'],
  tempDirName: '.data/stryker',
  ignorePatterns: ['.data', '**/.next'],
};
