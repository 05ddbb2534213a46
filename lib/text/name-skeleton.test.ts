import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameSkeleton } from './name-skeleton.ts';

test('names that can be mistaken for each other have the same skeleton, and others do not', () => {
  const alike = [
    'elena marsh',
    'ELENA  MARSH',
    'Éléna Marsh',
    'ElenaMarsh',
    'Elena Marsh.',
    'Elena-Marsh',
    'EIena Marsh',
    'E1ena Marsh',
    'Еlеnа Mаrѕһ',
    'Ｅｌｅｎａ Marsh',
    '𝐄𝐥𝐞𝐧𝐚 Marsh',
    'Elena\u00A0Marsh',
    "Elena Marsh'",
    'Elena Мarsh',
  ];
  for (const name of alike) assert.equal(nameSkeleton(name), nameSkeleton('Elena Marsh'), name);
  assert.equal(nameSkeleton('Arnie'), nameSkeleton('Amie'));
  for (const name of ['Elena Marshall', 'Helena Marsh', 'Elena', 'Marsh Elena', 'Елена', ''])
    assert.notEqual(nameSkeleton(name), nameSkeleton('Elena Marsh'), name);
});
