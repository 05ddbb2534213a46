import type { DisbursementStatus } from '@case-platform/modules/disbursements';

/** One step of a demo request, as the audit log has it: who has taken it, and after how many days. */
export interface LifeStep {
  command: string;
  /** A name of the demo's people; null: the bank. */
  by: string | null;
  before: DisbursementStatus | null;
  after: DisbursementStatus;
}

/** The steps that have brought a request to its state, with who takes them. */
export function lifeOf(status: DisbursementStatus, { maker, checker }: { maker: string; checker: string }): LifeStep[] {
  const create: LifeStep = { command: 'create', by: maker, before: null, after: 'draft' };
  const submit: LifeStep = { command: 'submit', by: maker, before: 'draft', after: 'submitted' };
  const approve: LifeStep = { command: 'approve', by: checker, before: 'submitted', after: 'approved' };
  const batch: LifeStep = { command: 'batch', by: 'finance', before: 'approved', after: 'batched' };
  const pay: LifeStep = { command: 'pay', by: null, before: 'batched', after: 'paid' };
  const toBank = [create, submit, approve, batch];
  const lives: Record<DisbursementStatus, LifeStep[]> = {
    draft: [create],
    submitted: [create, submit],
    approved: [create, submit, approve],
    denied: [create, submit, { command: 'deny', by: checker, before: 'submitted', after: 'denied' }],
    batched: toBank,
    paid: [...toBank, pay],
    returned: [...toBank, pay, { command: 'return', by: null, before: 'paid', after: 'returned' }],
    cancelled: [create, { command: 'cancel', by: maker, before: 'draft', after: 'cancelled' }],
  };
  return lives[status];
}
