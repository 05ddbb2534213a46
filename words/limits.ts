/**
 * Every limit that more than one layer uses: the API publishes it, the modules enforce it, and the forms of both applications
 * respect it. Lengths are in characters (code points), unless the name says otherwise.
 */

/** The largest amount of a request or deposit, in cents (REQUEST-3). */
export const CENTS_MAX = 9_999_999_999;
/** As typed: digits, separators, and a dollar sign. */
export const AMOUNT_FIELD_MAX = 20;

/** Limits of a message (MESSAGE-3, FILE-1). */
export const MESSAGE_MAX = 10_000;
export const SUBJECT_MAX = 200;
export const RECIPIENTS_MAX = 50;
export const ATTACHMENTS_MAX = 10;
export const ATTACHMENT_MAX_BYTES = 25 * 1024 * 1024;
/** All files of one message together. */
export const ATTACHMENTS_MAX_BYTES = 50 * 1024 * 1024;
export const NOTE_MAX = 10_000;

/**
 * Request bodies in bytes, the same in the web frontend, the API, and deploy/nginx. A message is sent together with its files;
 * everything that is not a file has one mebibyte.
 */
export const MESSAGE_BODY_MAX_BYTES = ATTACHMENTS_MAX_BYTES + 1024 * 1024;
export const JSON_BODY_MAX_BYTES = 512 * 1024;

/** A longer file name is shortened when it is stored. */
export const FILENAME_MAX = 255;

export const PERSON_NAME_MAX = 100;
export const EMAIL_MAX = 254;
/** As typed, with spaces. */
export const PHONE_FIELD_MAX = 40;
export const AGENCY_NAME_MAX = 200;
export const ROLE_NAME_MAX = 100;
export const ACCOUNT_HOLDER_MAX = 100;
/** As typed, with spaces. */
export const BANK_NUMBER_FIELD_MAX = 40;

/** A second factor makes up for a shorter password (PASSWORD-1). */
export const PASSWORD_MIN = 12;
export const PASSWORD_MIN_WITH_TWO_FACTOR = 8;
export const PASSWORD_MAX = 256;
/** As typed, with spaces. */
export const BACKUP_CODE_FIELD_MAX = 20;

export const CASE_NAME_MAX = 200;
export const MILESTONE_NOTE_MAX = 2000;
export const CATEGORY_MAX = 100;
/** The description of a request or a scheduled payment, and the reason of a denial. */
export const DESCRIPTION_MAX = 2000;
export const RECEIPTS_MAX = 20;
/** The name of the person or company that a proof of funds is for. */
export const ADDRESSEE_MAX = 200;
/** How long an approval can be undone. The server allows a few seconds more, for an answer that was slow to arrive. */
export const UNDO_APPROVAL_SECONDS = 10;
/** Contract limits of a case. */
export const BENEFITS_MAX = 50;
/** One line about a deposit, refund, or batch. */
export const MEMO_MAX = 300;

/** Days of a statement, and movements on one page or in one file (STATEMENT-2, STATEMENT-4). */
export const PERIOD_MAX_DAYS = 366;
export const STATEMENT_MAX = 10_000;
export const STATEMENT_PDF_MAX = 2000;

/** A file of returned payments from the bank. */
export const RETURN_FILE_MAX_BYTES = 10 * 1024 * 1024;

/** Search words of lists and pages. */
export const SEARCH_MAX = 200;

export const PUSH_TITLE_MAX = 200;
export const PUSH_BODY_MAX = 1000;
