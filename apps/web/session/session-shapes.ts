import type { UserType } from '@case-platform/words/user-types';

/** The parts of a person's set-up that are still missing (ACCOUNT-1). */
interface SetupStatus {
  is_fully_setup: boolean;
  missing_fields: string[];
}

/** The content of the encrypted session cookie, which only the server sees. */
export interface SessionToken {
  /** The user's id in the API. */
  sub: string;
  name: string;
  accessToken: string;
  refreshToken: string;
  /** Milliseconds since the epoch, from the API's `expires_at`. */
  accessTokenExpires: number;
  refreshAt: number;
  userType: UserType;
  setup_status: SetupStatus;
  /** The random id of this sign-in, by which its end rejects answers that are still on their way (WEB-11). */
  sid: string;
  tokenError?: 'RefreshFailed';
}

/** The session as the browser sees it, without tokens (WEB-10). */
export interface BrowserSession {
  userType: UserType;
  setup_status: SetupStatus;
  tokenError?: 'RefreshFailed';
  expires: string;
  user: { name: string };
}

/** The signed-in person, for pages and components. */
export interface Me {
  id: number;
  name: string;
  userType: UserType;
}
