import { getProfile, toApiUserType } from '@case-platform/modules/accounts';
import { Type } from 'typebox';
import { ApiUserTypeOut, Id } from '../schemas.ts';
import type { ApiServer } from '../server.ts';

const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const Profile = Type.Object({
  id: Id,
  email_address: Type.String(),
  user_type: ApiUserTypeOut,
  first_name: Type.String(),
  last_name: Type.String(),
  phone: NullableText,
  timezone: Type.String(),
  two_factor_method: NullableText,
  setup_status: Type.Object({
    is_fully_setup: Type.Boolean(),
    missing_fields: Type.Array(Type.String()),
  }),
});

/** The signed-in user's own record. */
export function meRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  app.get(
    '/api/user/me',
    {
      config: { guard },
      schema: { tags: ['me'], summary: 'The profile, and what is missing from it', response: { 200: Profile } },
    },
    async (request) => {
      const profile = await getProfile(context.db, guard.actor(request).id);
      return { ...profile, user_type: toApiUserType(profile.user_type) };
    },
  );
}
