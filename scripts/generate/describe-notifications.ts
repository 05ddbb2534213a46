import { EVENTS, findEvent } from '@case-platform/modules/notifications';

const INTRODUCTION = `# Notifications

Made by \`npm run generate\` from \`modules/notifications/events.ts\`: what is queued anywhere names one of these events, or
does not compile. Channels are independent: each address and each device has a delivery and a job of its own.

"Always" marks what people cannot switch off in their settings; "at once" what a push service wakes a sleeping device for.
`;

const PROVEN = `
## Proven and measured

- \`npm run chaos\` puts the platform under load, ends its processes by \`kill -9\` and PostgreSQL in immediate mode, and has
  the providers fail and hang, all by a seed that it prints; then it looks whether an acknowledged message is lost, a
  notification did not arrive or would be shown twice, or anything is stuck. \`--seconds N\` (120), \`--seed N\` for the same
  faults again, \`--once\` for each fault once: that is what \`npm test\` runs.
- A real Firefox subscribed, showed a push, and unsubscribed: [drills.md](drills.md).
- \`npm run bench -- --only push\` compares the pushes a second of one worker with bare web-push. The worker spends 1.7 ms of
  processor time on each push (2.5 GHz).
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
