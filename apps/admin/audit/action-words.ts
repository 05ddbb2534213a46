import type { AuditRecord } from '@case-platform/modules/audit';
import { sentence } from '@case-platform/words/sentence';

interface Kind {
  name: string;
  /** As the object of a sentence, when nothing more is known of it. */
  object: string;
  /** The same by what the log calls it. */
  called: (label: string) => string;
}

const asIs = (label: string) => label;
const owned = (what: string) => (label: string) => `${label}’s ${what}`;
const named = (what: string) => (label: string) => `the ${what} ${label}`;

/** The subject of an entry. */
const KINDS: Record<string, Kind> = {
  agency: { name: 'Agency', object: 'an agency', called: asIs },
  bank_account: { name: 'Bank account', object: 'a bank account', called: owned('bank account') },
  bank_profile: { name: 'Our bank', object: 'our bank', called: asIs },
  bank_return_file: { name: 'Return file', object: 'a return file', called: named('return file') },
  banking_batch: { name: 'Batch', object: 'a batch', called: asIs },
  case: { name: 'Case', object: 'a case', called: asIs },
  case_document: { name: 'Document', object: 'a document', called: named('document') },
  chain: { name: 'Conversation', object: 'a conversation', called: (label) => `the conversation “${label}”` },
  delivery: { name: 'Delivery', object: 'a delivery', called: (label) => `a delivery to ${label}` },
  disbursement: { name: 'Request', object: 'a request', called: requestCalled },
  job: { name: 'Background job', object: 'a background job', called: named('job') },
  message: { name: 'Message', object: 'a message', called: (label) => `a message in “${label}”` },
  permission: { name: 'Permission', object: 'a permission', called: named('permission') },
  photo_id: { name: 'Photo ID', object: 'a photo ID', called: owned('photo ID') },
  profile_picture: { name: 'Profile picture', object: 'a profile picture', called: owned('profile picture') },
  role: { name: 'Role', object: 'a role', called: named('role') },
  suppression: { name: 'Blocked address', object: 'an address', called: asIs },
  user: { name: 'Person', object: 'a person', called: asIs },
};

/** A request is called "Travel, $550.00" where there is room for one line: "the $550.00 Travel request". */
function requestCalled(label: string): string {
  const [, category, amount] = /^(.+), (\$[\d.,]+)$/.exec(label) ?? [];
  return category === undefined ? label : `the ${amount} ${category} request`;
}

/** Sentences for the log's actions; {} is replaced by the subject. */
const ACTIONS: Record<string, string> = {
  'agency.create': 'Added {}',
  'agency.issue_key': 'Issued a key to {}',
  'agency.rename': 'Renamed {}',
  'agency.revoke_key': 'Revoked a key from {}',
  'bank_account.flag': 'Received a bank correction for {}',
  'bank_account.set': 'Changed {}',
  'bank_profile.set': 'Changed our bank details',
  'bank_return_file.apply': 'Confirmed {}',
  'bank_return_file.refuse': 'Refused {}',
  'bank_return_file.take_in': 'Uploaded {}',
  'banking_batch.approve': 'Approved {}',
  'banking_batch.cancel': 'Cancelled {}',
  'banking_batch.confirm_outcome': 'Confirmed whether the bank has {}',
  'banking_batch.create': 'Made {}',
  'banking_batch.download': 'Downloaded the file for {} again',
  'banking_batch.generate': 'Made the file for {}',
  'banking_batch.hand_out': 'Downloaded the file for {}',
  'banking_batch.remove_entry': 'Took a request out of {}',
  'banking_batch.send_back': 'Took back the approval of {}',
  'banking_batch.settle': 'Marked {} as paid',
  'banking_batch.sign': 'Signed {}',
  'banking_batch.unblock': 'Cleared what blocked {}',
  'case.add_benefit': 'Added a contract limit to {}',
  'case.add_milestone': 'Added a milestone to {}',
  'case.add_person': 'Added someone to {}',
  'case.add_scheduled_payment': 'Scheduled a payment for {}',
  'case.add_to_team': 'Added someone to the {} team',
  'case.assign': 'Assigned {}',
  'case.cancel_scheduled_payment': 'Cancelled a scheduled payment for {}',
  'case.change_benefit': 'Changed a contract limit of {}',
  'case.change_status': 'Changed the state of {}',
  'case.create': 'Opened {}',
  'case.deposit': 'Confirmed a deposit for {}',
  'case.prove_funds': 'Made a proof of funds for {}',
  'case.issue_proof': 'Issued a proof of funds for {}',
  'case.record_deposit': 'Recorded a deposit for {}',
  'case.record_refund': 'Recorded a refund for {}',
  'case.refund': 'Confirmed a refund for {}',
  'case.refuse_deposit': 'Refused a deposit for {}',
  'case.refuse_refund': 'Refused a refund for {}',
  'case.remove_benefit': 'Removed a contract limit from {}',
  'case.remove_from_team': 'Removed someone from the {} team',
  'case.remove_person': 'Removed someone from {}',
  'case.rename_person': 'Changed the name of someone on {}',
  'case.update': 'Changed {}',
  'case.withdraw_proof': 'Withdrew a proof of funds for {}',
  'case_document.delete': 'Removed {}',
  'case_document.upload': 'Uploaded {}',
  'chain.assign': 'Assigned {}',
  'chain.close': 'Closed {}',
  'chain.remove_member': 'Removed someone from {}',
  'chain.reopen': 'Reopened {}',
  'delivery.retry': 'Sent {} again',
  'disbursement.add_file': 'Added a receipt to {}',
  'disbursement.approve': 'Approved {}',
  'disbursement.batch': 'Added {} to a batch',
  'disbursement.cancel': 'Cancelled {}',
  'disbursement.clear_payments': 'Let payments to the payee of {} continue',
  'disbursement.create': 'Wrote {}',
  'disbursement.deny': 'Denied {}',
  'disbursement.end': 'Ended {}, which won’t be paid again',
  'disbursement.hand_on': 'Passed {} to another approver',
  'disbursement.link_chain': 'Linked {} to a conversation',
  'disbursement.pay': 'Marked {} as paid',
  'disbursement.remove_approval': 'Removed the approval of {}, because the bank account changed',
  'disbursement.remove_file': 'Removed a receipt from {}',
  'disbursement.retry': 'Set {} to be paid again',
  'disbursement.return': 'Marked {} as sent back by the bank',
  'disbursement.revise': 'Changed {}',
  'disbursement.send': 'Recorded that the bank has {}',
  'disbursement.stop_payments': 'Stopped all payments to the payee of {}',
  'disbursement.submit': 'Sent {} for approval',
  'disbursement.unbatch': 'Took {} out of a batch',
  'disbursement.undo_approval': 'Undid the approval of {}',
  'job.retry': 'Tried {} again',
  'message.retract': 'Took back {}',
  'permission.remove': 'Removed {}',
  'permission.rename': 'Renamed {}',
  'photo_id.delete': 'Removed {}',
  'photo_id.replace': 'Replaced {}',
  'photo_id.upload': 'Uploaded {}',
  'photo_id.view': 'Opened {}',
  'profile_picture.delete': 'Removed {}',
  'role.ask_permissions': 'Asked for more permissions for {}',
  'role.confirm_permissions': 'Confirmed the permissions of {}',
  'role.create': 'Added {}',
  'role.delete': 'Deleted {}',
  'role.refuse_permissions': 'Refused more permissions for {}',
  'role.rename': 'Renamed {}',
  'role.set_permissions': 'Changed what {} allows',
  'suppression.lift': 'Unblocked {}',
  'user.accept_invitation': 'Accepted the invitation for {}',
  'user.ask_role': 'Asked for another role for {}',
  'user.assign_role': 'Changed the staff role of {}',
  'user.change_password': 'Changed the password of {}',
  'user.confirm_address': 'Confirmed a new email address for {}',
  'user.confirm_role': 'Confirmed the staff role of {}',
  'user.deactivate': 'Deactivated {}',
  'user.erase': 'Erased {}',
  'user.invite': 'Invited {}',
  'user.reactivate': 'Reactivated {}',
  'user.refuse_role': 'Refused the staff role of {}',
  'user.request_address': 'Asked for a new email address for {}',
  'user.resend_invitation': 'Invited {} again',
  'user.reset_password': 'Reset the password of {}',
  'user.reset_two_factor': 'Reset two-factor sign-in for {}',
  'user.two_factor_off': 'Turned off two-factor sign-in for {}',
  'user.two_factor_on': 'Turned on two-factor sign-in for {}',
  'user.update': 'Changed the record of {}',
  'user.update_own': 'Changed the profile of {}',
};

/** The kind of an entry's subject: "Role", "Request". */
export function kindWords(subject_type: string): string {
  return KINDS[subject_type]?.name ?? sentence(subject_type);
}

/** The action on a subject of its kind: "Approved a request". */
export function actionWords(action: string): string {
  const kind = kindOf(action);
  return phrase(ACTIONS[action] ?? otherWords(action), KINDS[kind]?.object ?? sentence(kind).toLowerCase());
}

/** The action and its subject: "Confirmed that the bank has Batch 2". */
export function entryWords(entry: Pick<AuditRecord, 'action' | 'subject_label' | 'after'>): string {
  const { action, subject_label: label } = entry;
  if (label === '') return actionWords(action);
  return phrase(wordsOf(entry), KINDS[kindOf(action)]?.called(label) ?? label);
}

function kindOf(action: string): string {
  return action.split('.', 1)[0] ?? '';
}

function wordsOf({ action, after }: Pick<AuditRecord, 'action' | 'after'>): string {
  if (action === 'banking_batch.confirm_outcome')
    return after?.status === 'transmitted' ? 'Confirmed that the bank has {}' : 'Confirmed that the bank doesn’t have {}';
  return ACTIONS[action] ?? otherWords(action);
}

/** An action of another version of the platform. */
function otherWords(action: string): string {
  return `${sentence(action.slice(action.indexOf('.') + 1))}: {}`;
}

function phrase(words: string, object: string): string {
  return words.replace('{}', () => object);
}
