/** Every case has this category, for costs that its contract does not name (CATEGORY-1). */
export const OTHER_CATEGORY = 'Other';
