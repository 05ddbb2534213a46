/**
 * The JSON API's shapes under the names of this application. `npm start`, `npm test`, and `npm run generate` write the types of
 * all calls, which are not committed.
 */
import type { paths } from '../.built/api-types.d.ts';

/** The body of a successful response. */
type Answer<
  Path extends keyof paths,
  Method extends keyof paths[Path],
  Status extends number = 200,
> = paths[Path][Method] extends { responses: Record<Status, { content: { 'application/json': infer Body } }> } ? Body : never;

/** One page of a list. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

export type Chain = Answer<'/api/messages', 'get'>['data'][number];
export type Person = Chain['participants'][number];
export type ChainWithMessages = Answer<'/api/messages/{chain_id}', 'get'>;
export type Message = ChainWithMessages['messages']['data'][number];
export type MessageFile = Message['files'][number];
export type UnreadCount = Answer<'/api/messages/unread/count', 'get'>;
export type Recipients = Answer<'/api/messages/recipients', 'get'>;
export type StartedChain = Answer<'/api/messages', 'post', 201>;
export type Reply = Answer<'/api/messages/{chain_id}', 'post', 201>;
type HomeLists = 'decisions' | 'requests' | 'returned' | 'drafts';
/** Its lists contain no drafts of other people, so the fields that such a draft hides are always there. */
export type Home = Omit<Answer<'/api/home', 'get'>, HomeLists> & Record<HomeLists, (Disbursement & { case_name: string })[]>;
export type Payment = Home['payments'][number];
export type CaseAtALook = Home['cases'][number];
export type Case = Answer<'/api/cases', 'get'>['data'][number];
export type CaseDetails = Answer<'/api/cases/{id}', 'get'>;
export type CaseEvent = Answer<'/api/cases/{id}/timeline', 'get'>['data'][number];
export type Milestone = CaseDetails['milestones'][number];
export type CaseBalance = NonNullable<CaseDetails['balance']>;
export type CaseStatement = Answer<'/api/cases/{id}/statement', 'get'>;
export type CaseProjection = Answer<'/api/cases/{id}/projection', 'get'>;
export type ProofOfFunds = Answer<'/api/proof/{code}', 'get'>;
export type IssuedProof = Answer<'/api/cases/{id}/proofs', 'get'>['data'][number];
export type OwnPayments = Answer<'/api/user/me/payments', 'get'>;
/** A request as the API sends it. For staff, the fields of someone else's draft are null (DRAFT-1). */
export type SeenDisbursement = Answer<'/api/disbursements/{id}', 'get'>;
/** A request with all of its fields. */
export type Disbursement = SeenDisbursement & {
  [Name in 'amount_cents' | 'category' | 'description' | 'payee']: NonNullable<SeenDisbursement[Name]>;
};
export type Receipt = Disbursement['files'][number];
export type ScheduledPayment = Answer<'/api/cases/{id}/scheduled-payments', 'get'>['data'][number];
/** Someone whom a request can pay, with what would become of it. */
export type Payee = Answer<'/api/cases/{id}/payees', 'get'>['data'][number];
export type Benefit = Answer<'/api/cases/{id}/benefits', 'get'>['data'][number];
export type Profile = Answer<'/api/user/me', 'get'>;
export type BankAccount = Answer<'/api/user/me/bank-account', 'get'>;
/** The requests that a change of the bank account would stop. */
export type StoppedRequests = Exclude<Answer<'/api/user/me/bank-account', 'put'>, BankAccount>;
export type UploadDescriptor = Answer<'/api/user/me/profile-picture/upload-url', 'post'>;
export type CaseDocument = Answer<'/api/cases/{id}/documents', 'get'>['data'][number];
export type Tokens = Answer<'/api/user/auth/refresh', 'post'>;
export type TwoFactorChallenge = Extract<Answer<'/api/user/auth/login', 'post'>, { tfa_required: true }>;
export type SignInRecord = Answer<'/api/user/me/sign-ins', 'get'>['data'][number];
export type DeviceList = Answer<'/api/notifications/subscriptions', 'get'>;
export type Device = DeviceList['data'][number];
export type EventPreference = Answer<'/api/notifications/preferences', 'get'>['data'][number];
export type TotpSetup = Extract<Answer<'/api/user/me/two-factor', 'post'>, { secret: string }>;
export type TwoFactorOn = Answer<'/api/user/me/two-factor/confirm', 'post'>;
export type TwoFactorMethod = TwoFactorOn['method'];
