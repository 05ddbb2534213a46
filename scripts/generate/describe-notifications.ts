import { EVENTS, findEvent } from '@case-platform/modules/notifications';

const INTRODUCTION = `# Notifications

Every notification of the platform. This page is generated from \`modules/notifications/events.ts\`; run \`npm run generate\` after
a change there. Channels are independent: each address and device has its own delivery and its own job.

"Always" means that people cannot turn it off. "At once" means that a push service wakes a sleeping device for it.
`;

const PROVEN = `
## How it is tested

- \`npm run chaos\` puts the platform under load, kills its processes, PostgreSQL, and Redis, and lets providers fail and hang.
  Then it checks that no acknowledged message was lost, every notification arrived, none would be shown twice, and nothing is
  stuck. \`--seconds N\` (120) sets the duration, \`--seed N\` repeats the same faults, and \`--once\` causes each fault once, as
  \`npm test\` does.
- Firefox subscribed, showed a push, and unsubscribed: [drills.md](drills.md).
- \`npm run bench -- --only push\` compares one worker's pushes per second with plain web-push. The worker spends 1.7 ms of CPU
  time on each push (2.5 GHz).
`;

const CHANNEL_WORDS = { email: 'Email', sms: 'SMS', push: 'Push' } as const;

/** docs/notifications.md: the inventory of events, channels, recipients and templates. */
export function describeNotifications(): string {
  const rows = Object.keys(EVENTS).flatMap((name) => {
    const entry = findEvent(name);
    if (entry === undefined) return [];
    return (Object.keys(CHANNEL_WORDS) as (keyof typeof CHANNEL_WORDS)[]).flatMap((channel) => {
      const way = entry.channels[channel];
      if (way === undefined) return [];
      const template = 'template' in way ? `\`${String(way.template)}\`` : '';
      const notes = [...(way.required ? ['always'] : []), ...(entry.urgent && channel === 'push' ? ['at once'] : [])];
      return [[`\`${name}\``, entry.cause, CHANNEL_WORDS[channel], way.to, template, notes.join(', ')]];
    });
  });
  const table = [['Event', 'When', 'Channel', 'To', 'Template', ''], Array(6).fill('---'), ...rows];
  return `${INTRODUCTION}\n${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n${PROVEN}`;
}
