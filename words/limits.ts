/**
 * Every limit that more than one layer names: the API publishes it, the modules hold it, the forms of both applications keep to
 * it. In characters (code points), unless a name says otherwise.
 */

/** The largest amount in cents, from a request to a deposit (REQUEST-3). */
export const CENTS_MAX = 9_999_999_999;
/** What is typed as an amount: digits, and the signs around them. */
export const AMOUNT_FIELD_MAX = 20;

/** Messages (MESSAGE-3). */
export const MESSAGE_MAX = 10_000;
export const SUBJECT_MAX = 200;
export const RECIPIENTS_MAX = 50;
export const ATTACHMENTS_MAX = 10;
export const ATTACHMENT_MAX_BYTES = 25 * 1024 * 1024;
/** All the files of one message together. */
export const ATTACHMENTS_MAX_BYTES = 50 * 1024 * 1024;
/** A note that staff leave in a conversation. */
export const NOTE_MAX = 10_000;

/**
 * Bodies of requests in bytes, the same at the web frontend, at the API, and in deploy/nginx. A message is sent with its files; what
 * is not a file gets a mebibyte of it.
 */
export const MESSAGE_BODY_MAX_BYTES = ATTACHMENTS_MAX_BYTES + 1024 * 1024;
export const JSON_BODY_MAX_BYTES = 512 * 1024;

/** The name of a file as it is sent; a longer one is cut when it is kept. */
export const FILENAME_MAX = 255;

/** People and those whom they work for. */
export const PERSON_NAME_MAX = 100;
export const EMAIL_MAX = 254;
/** What is typed as a phone number, spaces and all. */
export const PHONE_FIELD_MAX = 40;
export const AGENCY_NAME_MAX = 200;
export const ROLE_NAME_MAX = 100;
export const ACCOUNT_HOLDER_MAX = 100;
/** What is typed as a routing or an account number, spaces and all. */
export const BANK_NUMBER_FIELD_MAX = 40;

/** Passwords (PASSWORD-1): a second factor makes up for a shorter one. */
export const PASSWORD_MIN = 12;
export const PASSWORD_MIN_WITH_TWO_FACTOR = 8;
export const PASSWORD_MAX = 256;
/** What is typed as a backup code, spaces and all. */
export const BACKUP_CODE_FIELD_MAX = 20;

/** Cases, and what is asked for and planned in them. */
export const CASE_NAME_MAX = 200;
export const MILESTONE_NOTE_MAX = 2000;
export const CATEGORY_MAX = 100;
/** What a request or a planned payment is for, and why a request is denied. */
export const DESCRIPTION_MAX = 2000;
export const RECEIPTS_MAX = 20;
/** What a case's contract allows, a category each. */
export const BENEFITS_MAX = 50;
/** One line about a deposit, a refund or a batch. */
export const MEMO_MAX = 300;

/** Days of a statement (STATEMENT-2), and the most movements of a page or file (STATEMENT-4). */
export const PERIOD_MAX_DAYS = 366;
export const STATEMENT_MAX = 10_000;
export const STATEMENT_PDF_MAX = 2000;

/** A file in which the bank sends payments back. */
export const RETURN_FILE_MAX_BYTES = 10 * 1024 * 1024;

/** What lists and pages are searched for. */
export const SEARCH_MAX = 200;

/** A notification on a device. */
export const PUSH_TITLE_MAX = 200;
export const PUSH_BODY_MAX = 1000;
