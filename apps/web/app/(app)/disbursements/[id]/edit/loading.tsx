import { FormSkeleton } from '../../../../../components/page-skeletons.tsx';

export default FormSkeleton;
