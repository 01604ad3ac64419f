{{- define "troupe.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "troupe.selector" -}}
app.kubernetes.io/name: troupe
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "troupe.labels" -}}
{{ include "troupe.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "troupe.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "troupe.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "troupe.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "troupe.environment" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "database.secret is the name of the secret with the connection string" .Values.database.secret }}
      key: {{ .Values.database.key }}
{{- with .Values.database.directKey }}
- name: DATABASE_DIRECT_URL
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.database.secret }}
      key: {{ . }}
{{- end }}
{{- with .Values.database.readKey }}
- name: DATABASE_READ_URL
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.database.secret }}
      key: {{ . }}
{{- end }}
- name: NODE_OPTIONS
  value: --max-old-space-size={{ .Values.heapMegabytes }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}
