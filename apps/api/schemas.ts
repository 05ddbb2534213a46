import { CENTS_MAX, FILENAME_MAX } from '@case-platform/words/limits';
import { API_USER_TYPES, toApiUserType, type UserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';

/** Schemas that several areas share. One schema gives types, validation, serialization, and the OpenAPI description. */

/** Ids are integers that fit a JSON number (API-3). */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** ISO 8601 in UTC; the code passes a Date. */
export const Time = Type.Unsafe<Date>({ type: 'string', format: 'date-time' });
export const NullableTime = Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time' });
export const NullableId = Type.Unsafe<number | null>({ type: ['integer', 'null'] });
const NextCursor = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const ApiUserTypeOut = Type.Unsafe<(typeof API_USER_TYPES)[number]>({
  type: 'string',
  enum: [...API_USER_TYPES],
});
/** A user type as the JSON API accepts it: also `ip_rep`, an alias of `ip_company`, and no other short code (LAYER-4). */
export const ApiUserTypeIn = Type.Unsafe<(typeof API_USER_TYPES)[number] | 'ip_rep'>({
  type: 'string',
  enum: [...API_USER_TYPES, 'ip_rep'],
});

export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
};

/** A filter by one value, or by several separated by commas; `valuesOf` reads it. */
export const OneOrMore = (values: readonly string[]) =>
  Type.String({
    pattern: `^(${values.join('|')})(,(${values.join('|')}))*$`,
    maxLength: 200,
    description: `One of ${values.join(', ')}, or several separated by commas.`,
  });

/** The values that a filter names, or undefined without one. */
export function valuesOf<Value extends string>(values: readonly Value[], filter: string | undefined): Value[] | undefined {
  const names = filter?.split(',');
  return names && values.filter((value) => names.includes(value));
}

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A repeated request with the same key gets the first answer again; keys are kept for 24 hours.',
    }),
  ),
});

export const pageOf = <Item extends import('typebox').TSchema>(item: Item) =>
  Type.Object({ data: Type.Array(item), next_cursor: NextCursor });

/** A calendar day, `YYYY-MM-DD`. */
export const Day = Type.String({ format: 'date' });
export const NullableDay = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date' });
export const Cents = Type.Integer({ minimum: 1, maximum: CENTS_MAX, description: 'US dollars, in cents.' });

export const Person = Type.Object({ user_type: ApiUserTypeOut, user_id: Id, name: Type.String() }, { title: 'Person' });
export const NullablePerson = Type.Union([Person, Type.Null()]);
export const toPerson = <Someone extends { user_type: UserType }>(person: Someone) => ({
  ...person,
  user_type: toApiUserType(person.user_type),
});
export const toNullablePerson = <Someone extends { user_type: UserType }>(person: Someone | null) =>
  person === null ? null : toPerson(person);

/** How far the worker is with a picture; null if there is no file, or it is not a picture. */
export const PictureState = Type.Unsafe<'waiting' | 'clean' | 'failed' | null>({
  type: ['string', 'null'],
  enum: ['waiting', 'clean', 'failed', null],
});

/** Starts a direct upload (UPLOAD-1). */
export const UploadBody = Type.Object(
  {
    filename: Type.String({ minLength: 1, maxLength: FILENAME_MAX }),
    content_type: Type.String({ maxLength: 255, pattern: '^[ -~]*$' }),
    size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'In bytes, up to the limit in the summary. If given, the storage accepts exactly this size.',
      }),
    ),
  },
  { title: 'UploadRequest' },
);

/** An upload descriptor (UPLOAD-1). */
export const UploadDescriptorOut = Type.Object(
  {
    upload_url: Type.String({ description: 'The form goes here, without an Authorization header.' }),
    upload_fields: Type.Record(Type.String(), Type.String(), { description: 'All of them go before the file.' }),
    file_key: Type.String(),
  },
  { title: 'UploadDescriptor' },
);

/** Completes a direct upload (UPLOAD-1). */
export const ConfirmBody = Type.Object(
  { file_key: Type.String({ minLength: 1, maxLength: 200 }) },
  { title: 'UploadConfirmation' },
);
