{{- define "shellac.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "shellac.operator" -}}
{{- printf "%s-operator" (include "shellac.fullname" .) -}}
{{- end -}}

{{- define "shellac.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "shellac.operator" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "shellac.parameters" -}}
{{- default .Values.gatewayClass.name .Values.gatewayClass.parametersName -}}
{{- end -}}

{{- define "shellac.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end -}}

{{- define "shellac.labels" -}}
{{ include "shellac.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Annotations of an object: those of all, and its own. Give a list of the root and its own. */ -}}
{{- define "shellac.annotations" -}}
{{- $root := index . 0 -}}
{{- with merge (dict) (index . 1) $root.Values.commonAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "shellac.meta" -}}
labels:
  {{- include "shellac.labels" . | nindent 2 }}
{{- with include "shellac.annotations" (list . dict) }}
{{ . }}
{{- end }}
{{- end -}}
