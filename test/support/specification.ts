/**
 * The form of titles before docs/rules: headings of the specification and sections of the decisions. Titles that still have it
 * are accepted until all are converted.
 */
interface Heading {
  rules?: number;
  rows?: number;
}

const SPECIFICATION: Record<string, Heading> = {
  'What the service does': { rules: 4 },
  User: {},
  'User types': { rows: 2 },
  'Admin role and permission': { rows: 5 },
  Agency: {},
  'Token response': { rows: 3 },
  'Frontend session': { rows: 5 },
  MessageChain: { rows: 5 },
  Message: { rows: 6 },
  PushSubscription: {},
  'Push notification payload': { rows: 7 },
  'Upload descriptor': { rows: 3 },
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

/** True for a heading of the specification or a section of the decisions, with a number that exists. */
export function isHeading(heading: string): boolean {
  const [, name, number] = /^(.*?)(?: (\d+))?$/.exec(heading) ?? [];
  if (name === undefined) return false;
  const within = (last: number) => number !== undefined && Number(number) >= 1 && Number(number) <= last;
  if (name === 'decisions') return within(SECTIONS_OF_DECISIONS);
  if (!Object.hasOwn(SPECIFICATION, name)) return false;
  return number === undefined || within(SPECIFICATION[name]?.rules ?? SPECIFICATION[name]?.rows ?? 0);
}
