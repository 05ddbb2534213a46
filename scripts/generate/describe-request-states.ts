import {
  COMMANDS,
  DISBURSEMENT_STATUSES,
  type DisbursementCommand,
  GUARDS,
  type Guard,
  type Move,
  NOTIFIED,
} from '@case-platform/modules/disbursements';

const INTRODUCTION = `# The life of a request

The states of a request for money, and the commands that move it. This page is generated from
\`modules/disbursements/disbursement-states.ts\`, which the code runs; run \`npm run generate\` after a change there. What people see is the
[whereabouts](rules/money.md#where-a-payment-is) of a request: \`batched\` is "Being sent" until the command \`send\`, and "At the bank" after it.
`;

/** docs/request-states.md: the diagram of states, and a table of each command's guards, postings, and notices. */
export function describeRequestStates(): string {
  const moves = (Object.keys(COMMANDS) as DisbursementCommand[]).flatMap((command) => {
    const { guards, moves }: { guards: readonly Guard[]; moves: readonly Move[] } = COMMANDS[command];
    return moves.map((move) => ({ command, guards, ...move }));
  });
  const final = DISBURSEMENT_STATUSES.filter((status) => moves.every(({ from }) => from !== status));
  const diagram = [
    'stateDiagram-v2',
    '[*] --> draft: create',
    ...moves.map(({ command, from, to }) => `${from} --> ${to}: ${command}`),
    ...final.map((status) => `${status} --> [*]`),
  ];
  const rows = moves.map(({ command, guards, from, to, posts = '', notifies }) => {
    return [`\`${command}\``, from, to, guards.join(', '), posts, notifies === undefined ? '' : NOTIFIED[notifies]];
  });
  const table = [['Command', 'From', 'To', 'Guards, in this order', 'Posts', 'Notifies'], Array(6).fill('---'), ...rows];
  const guards = [['Guard', 'Requires'], Array(2).fill('---'), ...Object.entries(GUARDS)];
  return [
    INTRODUCTION,
    `\`\`\`mermaid\n${diagram.join('\n')}\n\`\`\`\n`,
    'Commands of batches and the bank have no guards here, because the `banking` module checks them first. A change of the bank account',
    'notifies people of all its requests in one mail.\n',
    `${inMarkdown(table)}\n`,
    inMarkdown(guards),
    '',
  ].join('\n');
}

function inMarkdown(rows: readonly string[][]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
