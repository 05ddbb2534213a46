import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../../scripts/checkout/checkout.mjs';

export interface Alert {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const read = (name: string) => readFileSync(join(ROOT, 'deploy', 'watching', name), 'utf8');

export function readAlerts(): Alert[] {
  return parse(read('alerts.yaml')).groups.flatMap(({ rules }: { rules: Alert[] }) => rules);
}

/** The expressions of the alerts. */
export function askedByAlerts(): string[] {
  return readAlerts().map(({ expr }) => expr);
}

/** The expressions of the dashboard. */
export function askedByDashboard(): string[] {
  const { panels } = JSON.parse(read('dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** The metrics in an expression: words that are not functions, keywords, or labels. */
export function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"|\b(by|on|without|ignoring)\s*\([^)]*\)/g, ' ');
  const words = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g)].map(([word]) => word);
  return words.filter((word) => !/^(unless|and|or|bool|le)$/.test(word) && !new RegExp(`\\b${word}\\s*\\(`).test(bare));
}
