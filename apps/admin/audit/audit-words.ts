import { type Html, html } from '@case-platform/lib/html';
import type { AuditRecord } from '@case-platform/modules/audit';

const LAYERS: Record<AuditRecord['layer'], string> = {
  admin: 'Staff application',
  api: 'Web frontend and JSON API',
  worker: 'Background jobs',
  system: 'Platform',
};

/** The address of a subject's page, by its type. */
const PLACES: Record<string, string> = {
  agency: '/agencies/',
  bank_return_file: '/batches/returns/',
  banking_batch: '/batches/',
  case: '/cases/',
  chain: '/messages/',
  disbursement: '/disbursements/',
  photo_id: '/users/',
  profile_picture: '/users/',
  role: '/roles/',
  user: '/users/',
};

/** The part of the platform that a change came through. */
export function layerWords(layer: AuditRecord['layer']): string {
  return LAYERS[layer];
}

/** The name of the person, or of the part of the platform, that acted. */
export function actorWords({ actor_name, layer }: Pick<AuditRecord, 'actor_name' | 'layer'>): string {
  if (actor_name !== null) return actor_name;
  return layer === 'system' || layer === 'worker' ? 'Automatic' : 'Not signed in';
}

/** The subject's name, linked to its page if it has one; null without a name. */
export function subjectLink({ action, subject_type, subject_id, subject_label }: AuditRecord): Html | null {
  const words = subject_label || (subject_id === null ? '' : `number ${subject_id}`);
  if (words === '') return null;
  const place = PLACES[subject_type];
  if (place === undefined || subject_id === null || action.endsWith('.delete')) return html`${words}`;
  return html`<a class="link" href="${place}${subject_id}">${words}</a>`;
}
