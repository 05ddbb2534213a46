export { AppFrame as default } from '../../shell/app-frame.tsx';
