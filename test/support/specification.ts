/**
 * What a test's title may name: the headings of the specification (without what they say in brackets) and the sections of the
 * decisions. `rules` counts the numbered rules below a heading, `rows` the rows of its table; where there are rules, a number
 * means the rule. What `rows` counts in a table of behaviour has a test each, as every rule does.
 */
interface Heading {
  rules?: number;
  rows?: number;
  /** The rows are fields or examples: one test of the heading is enough. */
  asOne?: true;
}

const SPECIFICATION: Record<string, Heading> = {
  'What the service does': { rules: 4 },
  User: {},
  'User types': { rows: 2, asOne: true },
  'Admin role and permission': { rows: 5, asOne: true },
  Agency: {},
  'Token response': { rows: 3, asOne: true },
  'Frontend session': { rows: 5, asOne: true },
  MessageChain: { rows: 5, asOne: true },
  Message: { rows: 6, asOne: true },
  PushSubscription: {},
  'Push notification payload': { rows: 7, asOne: true },
  'Upload descriptor': { rows: 3, asOne: true },
  'States and transitions': { rows: 10 },
  'Authentication endpoints': { rows: 4 },
  'Agency-authenticated endpoints': {},
  'Messaging endpoints': { rows: 3 },
  'Notification endpoints': { rows: 3 },
  'Direct upload endpoints': { rules: 3 },
  'Other paths that appear': {},
  'Message behaviour': { rules: 6 },
  'Push subscription behaviour': { rules: 4 },
  'Server-rendered application': { rules: 10 },
  'JSON API': { rules: 7 },
  'Web frontend': { rules: 6 },
  'Master API key': {},
  Events: {},
  'Push notifications': { rows: 4 },
  Email: { rows: 7 },
  SMS: {},
  'Message send flow': {},
  Errors: { rows: 15 },
  Limits: { rows: 5 },
};

const SECTIONS_OF_DECISIONS = 17;

/** The headings at the beginning of a title, as they stand in their brackets. */
export function headingsOf(title: string): string[] {
  const beginning = /^(\[[^\]]*\]\s*)*/.exec(title)?.[0] ?? '';
  return [...beginning.matchAll(/\[([^\]]*)\]/g)].map(([, heading]) => heading ?? '');
}

/** Whether it is a heading of the specification or a section of the decisions, with no number beyond its last. */
export function isHeading(heading: string): boolean {
  const [, name, number] = /^(.*?)(?: (\d+))?$/.exec(heading) ?? [];
  if (name === undefined) return false;
  const within = (last: number) => number !== undefined && Number(number) >= 1 && Number(number) <= last;
  if (name === 'decisions') return within(SECTIONS_OF_DECISIONS);
  if (!Object.hasOwn(SPECIFICATION, name)) return false;
  return number === undefined || within(SPECIFICATION[name]?.rules ?? SPECIFICATION[name]?.rows ?? 0);
}

/** What needs a test of its own: every heading, or each of its rules, or each row of its table. */
export function whatNeedsATest(): string[] {
  return Object.entries(SPECIFICATION).flatMap(([name, { rules, rows, asOne }]) => {
    const count = rules ?? (asOne ? 0 : (rows ?? 0));
    return count === 0 ? [name] : Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
  });
}
