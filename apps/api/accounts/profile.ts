import { findWaitingAddress, getProfile } from '@case-platform/modules/accounts';
import { getOwnFiles } from '@case-platform/modules/storage';
import { todaysZoneName } from '@case-platform/words/time-zones';
import { toApiUserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { ApiContext } from '../api-context.ts';
import { ApiUserTypeOut, Id, PictureState } from '../schemas.ts';

const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const OwnFile = Type.Object(
  {
    filename: Type.String(),
    content_type: Type.String(),
    size: Type.Integer({ description: 'Bytes.' }),
    uploaded_at: Type.String({ format: 'date-time' }),
    problem: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why a picture can’t be used and what to do; null while nothing is wrong.',
    }),
    url: Type.String({ description: 'Signed on reading, for one hour.' }),
    url_expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'OwnFile' },
);

const WaitingAddress = Type.Object(
  { email_address: Type.String(), expires_at: Type.String({ format: 'date-time' }) },
  { title: 'WaitingAddress' },
);

export const Profile = Type.Object(
  {
    id: Id,
    email_address: Type.String(),
    user_type: ApiUserTypeOut,
    first_name: Type.String(),
    last_name: Type.String(),
    waiting_address: Type.Union([WaitingAddress, Type.Null()], {
      description: 'Another address that counts once the link which went there is followed.',
    }),
    phone: NullableText,
    timezone: Type.String(),
    two_factor_method: NullableText,
    setup_status: Type.Object({
      is_fully_setup: Type.Boolean(),
      missing_fields: Type.Array(Type.String()),
    }),
    profile_picture_url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: '256 pixels square once the worker has made it, until then as it was sent. Signed for one hour.',
    }),
    profile_picture_small_url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: '96 pixels square.',
    }),
    profile_picture_state: PictureState,
    profile_picture_problem: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why the picture can’t be used and what to do, when its state is `failed`.',
    }),
    photo_id: Type.Union([OwnFile, Type.Null()]),
  },
  { title: 'Profile' },
);

/** The profile, with signed addresses of the user's own files. */
export async function profileOf({ db, storage, now }: Pick<ApiContext, 'db' | 'storage' | 'now'>, userId: number) {
  const [profile, files, waiting] = await Promise.all([
    getProfile(db, userId),
    getOwnFiles(db, storage, userId, now()),
    findWaitingAddress(db, userId, now()),
  ]);
  const waiting_address =
    waiting === null ? null : { email_address: waiting.new_address, expires_at: waiting.expires_at.toISOString() };
  const timezone = todaysZoneName(profile.timezone);
  return { ...profile, user_type: toApiUserType(profile.user_type), timezone, waiting_address, ...files };
}
