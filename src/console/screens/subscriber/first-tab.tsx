export { default } from './overview.tsx'
