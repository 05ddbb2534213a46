/** Why the version before lives with a change that `compareSchemas` has found. */
interface Review {
  why: string;
  /**
   * What takes something away says since which migration the version before does without it: one that it has itself
   * (db/released/schema.sql). Expand in one version, contract in a later one.
   */
  since?: string;
}

const ERASING = 'lets one more kind of change through, while a person is erased; the version before makes none of it';

const KEPT_ONE =
  'refuses nothing, and writes a column that the version before does not know; its rules of two persons see it, too';

const OWN_CHECKER =
  'the version before is refused where it has somebody decide whose address others have just changed: that is what it is for';

/** By the words of the finding. Emptied when a version is released. */
export const REVIEWED: Record<string, Review> = {
  'disbursement_request_scheduled_payment_idx of disbursement_request is gone': {
    why: 'an index of the same name replaces it and allows more: drafts no longer claim; no statement has it in its on conflict clause',
    since: '0008_case_money.sql',
  },
  'disbursement_request_scheduled_payment_idx of disbursement_request is new or has changed': {
    why: 'allows more than before; the previous version recognizes the conflict by the same name',
  },
  'audit_entry_is_append_only of audit_entry is new or has changed': { why: ERASING },
  'banking_batch_step_is_append_only of banking_batch_step is new or has changed': { why: ERASING },
  'ledger_transaction_is_append_only of ledger_transaction is new or has changed': { why: ERASING },
  'case_file_marks_its_calendar of case_file is new or has changed': {
    why: 'refuses nothing: it writes a column that the version before does not know, for whichever version ends or reopens a case',
  },
  'user_account_check3 of user_account is new or has changed': {
    why: 'only a record that was erased is held to it: it must not be used again, and the version before is refused when it tries',
  },
  'disbursement_request_takes_its_own_checker of disbursement_request is new or has changed': { why: OWN_CHECKER },
  'banking_batch_takes_its_own_checker of banking_batch is new or has changed': { why: OWN_CHECKER },
  'banking_batch_takes_its_own_payer of banking_batch is new or has changed': { why: OWN_CHECKER },
  'batch_signature_takes_its_own_signer of batch_signature is new or has changed': { why: OWN_CHECKER },
  'cash_entry_takes_its_own_checker of cash_entry is new or has changed': { why: OWN_CHECKER },
  'bank_return_file_takes_its_own_checker of bank_return_file is new or has changed': { why: OWN_CHECKER },
  'role_grant_takes_its_own_checker of role_grant is new or has changed': { why: OWN_CHECKER },
  'user_account_keeps_two_factor_since of user_account is new or has changed': {
    why: 'fills a column of its own, for the version before too, and refuses nothing',
  },
  'payee_bank_account_keeps_entered_by of payee_bank_account is new or has changed': {
    why: 'fills a column of its own, for the version before too, and refuses nothing',
  },
  'user_account_is_a_new_person of user_account is new or has changed': { why: KEPT_ONE },
  'user_account_stays_one_person of user_account is new or has changed': { why: KEPT_ONE },
};
