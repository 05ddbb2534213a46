/** The JSON API's shapes, under the names that this application uses. */
import type { SetupStatus } from './session-shapes.ts';
import type { ApiUserType } from './user-types.ts';

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

export interface Person {
  user_type: ApiUserType;
  user_id: number;
  name: string;
}

export interface LastMessage {
  id: number;
  preview: string;
  from_type: ApiUserType;
  from_id: number;
  created_at: string;
}

export interface Chain {
  id: number;
  subject: string | null;
  case_id: number | null;
  status: 'open' | 'closed';
  assigned_admin_id: number | null;
  chain_has_unread_msg_admin: boolean;
  unread_count: number;
  participants: Person[];
  last_message: LastMessage | null;
  created_at: string;
}

export interface MessageFile {
  id: number;
  filename: string;
  content_type: string;
  size: number;
  url: string;
  url_expires_at: string;
}

export interface Message {
  id: number;
  chain_id: number;
  from_id: number;
  from_type: ApiUserType;
  from_name: string;
  to_id: number | null;
  to_type: ApiUserType | null;
  to_admin: boolean;
  message: string;
  viewed: string | null;
  created_at: string;
  files: MessageFile[];
}

export interface ChainWithMessages {
  chain: Chain;
  messages: Page<Message>;
}

export interface UnreadCount {
  unread_count: number;
  unread_chains: number;
}

export interface CaseSummary {
  id: number;
  name: string;
  status: string;
}

export interface Profile {
  id: number;
  email_address: string;
  user_type: ApiUserType;
  first_name: string | null;
  last_name: string | null;
  phone: string | null;
  timezone: string | null;
  setup_status: SetupStatus;
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_at: string;
  token_type: 'Bearer';
}

export interface TwoFactorChallenge {
  tfa_required: true;
  tfa_type: 'totp' | 'otp';
  tfa_method: 'app' | 'email' | 'sms';
  tfa_token: string;
  expires_at: string;
}

export interface Problem {
  status: number;
  title: string;
  detail: string;
  message: string;
  code: string;
  request_id?: string;
  errors?: { field: string; message: string }[];
}
