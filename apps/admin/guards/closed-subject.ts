/** The pages that are closed to admins without the permission. Their words are in `page/closed-page.ts`. */
export type ClosedSubject =
  | 'access'
  | 'bank'
  | 'bank_account'
  | 'batch_form'
  | 'case_edit'
  | 'case_form'
  | 'audit'
  | 'disbursements'
  | 'disbursement_form'
  | 'invitation'
  | 'messages'
  | 'payments'
  | 'person_form'
  | 'proofs'
  | 'return_files';
